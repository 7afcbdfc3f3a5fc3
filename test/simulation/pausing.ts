// Plays people who pause and resume a job, or ask for a run, while a daemon runs it (W13).
import { pause, readPaused, requestRun, resume } from '../../src/operator/pause.ts';
import { OperatorError } from '../../src/operator/errors.ts';
import { StateError } from '../../src/state/errors.ts';
import { createPauseJudge, type PauseJudge } from './laws/pauses.ts';
import type { Violation } from './oracle/evidence.ts';
import type { PauseAct } from './scenario/scenario.ts';
import { syncName } from './world/setting.ts';
import type { World } from './world/world.ts';

interface PausingDep {
  readonly world: World;
  readonly tell: (text: string) => void;
  readonly counted: (name: string) => void;
  readonly violate: (violation: Violation) => void;
}

export interface Pausing {
  readonly judge: PauseJudge;
  /** One decision, in a process of its own, as a command is. `daemon`: has it run the job. */
  decide(act: PauseAct, daemon: Awaited<ReturnType<World['beginDaemon']>> | undefined): Promise<void>;
}

const person = { by: 'a person', through: 'cli' } as const;

export function createPausing({ world, tell, counted, violate }: PausingDep): Pausing {
  const { clock } = world;
  const judge = createPauseJudge(clock.now);

  return {
    judge,
    async decide({ what, lasts }, daemon) {
      const { process, operator } = world.beginReader();
      const isPaused = judge.isPaused();
      // The run is of the process of the daemon.
      const trigger = async (name: string) => {
        const isThere = daemon && !daemon.process.isDead && !daemon.process.stop.signal.aborted;
        const answer = isThere ? await clock.within(daemon.process, () => daemon.daemon.trigger(name)) : 'ending';
        return answer === 'started' || answer === 'ending' ? answer : answer && 'queued';
      };
      const decided = async (): Promise<string> => {
        switch (what) {
          case 'pause': {
            // It may hold from before the answer.
            judge.begins();
            await pause(operator, person, { name: syncName, ...(lasts !== undefined && { lasts }), reason: 'we sort' });
            judge.paused(lasts);
            return 'paused';
          }
          case 'resume':
            judge.ends();
            await resume(operator, person, syncName);
            judge.resumed();
            return 'resumed';
          case 'run now': {
            const { answer } = await requestRun(operator, person, { name: syncName, trigger });
            if (isPaused && judge.isPaused())
              violate({ law: 'W13', text: 'a run was asked for in a pause, and not refused' });
            return answer;
          }
        }
      };
      try {
        const answer = await Promise.race([clock.within(process, decided), process.died.promise]);
        // It recorded the decision, or did not.
        if (answer === 'killed' && what !== 'run now') judge.unsure();
        tell(`a person says ${what}${lasts === undefined ? '' : ` for ${lasts}`}: ${answer}`);
        counted(`${what}: ${answer}`);
      } catch (error) {
        if (!(error instanceof OperatorError || error instanceof StateError)) throw error;
        tell(`a person says ${what}: refused: ${error.message}`);
        counted(`${what}: refused`);
        const isOfPause = error instanceof OperatorError && error.code === 'paused';
        if (isOfPause && !isPaused && !judge.isUnsure())
          violate({ law: 'W13', text: `a run was refused, and nothing is paused: ${error.message}` });
        if (what !== 'run now') judge.unsure();
      }
      const reading = clock.within(process, () => readPaused(operator, syncName));
      const paused = await Promise.race([reading, process.died.promise]);
      if (judge.isPaused() && !paused) violate({ law: 'W13', text: 'a pause that was recorded is not read' });
      if (!process.isDead) world.kill(process);
    },
  };
}
