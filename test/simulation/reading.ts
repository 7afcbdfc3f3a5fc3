// Plays people who read the state while runs write it (S9).
import { OperatorError } from '../../src/operator/errors.ts';
import { StateError } from '../../src/state/errors.ts';
import { type About, reads } from './people/reads.ts';
import type { Chaos, ReadName } from './scenario/scenario.ts';
import type { Violation } from './oracle/evidence.ts';
import type { Instant, SimulatedProcess } from './world/process.ts';
import type { World } from './world/world.ts';

type Read = NonNullable<Chaos['reads']>[number];

interface ReadersDep {
  readonly world: Pick<World, 'beginReader' | 'clock' | 'sides'>;
  readonly tell: (text: string) => void;
  readonly counted: (what: ReadName, how: string) => void;
  readonly violate: (violation: Violation) => void;
}

export interface Readers {
  /** Begins those that are due at this instant; they go on beside the run. */
  due(instants: number): void;
  /** Whether the instant is of a process that only reads, and may write nothing. */
  owns(instant: Instant): boolean;
  /** From now on these. The earlier ones have ended. */
  plan(all: readonly Read[] | undefined): void;
  /** Resolves when all have their answers. */
  ended(): Promise<unknown>;
}

export function createReaders({ world, tell, counted, violate }: ReadersDep): Readers {
  let waiting: readonly Read[] = [];
  let reading: Promise<void>[] = [];
  const readers = new Set<SimulatedProcess>();

  async function read({ what, a }: Read): Promise<void> {
    const { process, operator } = world.beginReader();
    readers.add(process);
    const at = about(world, a);
    const work = world.clock.within(process, async () => {
      // In a turn of its own: the run is in the middle of an operation.
      await Promise.resolve();
      return reads[what](operator, at);
    });
    try {
      const answered = await Promise.race([work, process.died.promise]);
      counted(what, answered === 'killed' ? 'killed' : 'answered');
    } catch (error) {
      const isExpected = error instanceof OperatorError || error instanceof StateError;
      counted(what, isExpected ? 'refused' : 'failed');
      if (isExpected) return;
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      violate({ law: 'S9', text: `${what}, asked beside a run about "${at.reference}", failed: ${text}` });
    }
  }

  return {
    due(instants) {
      const now = waiting.filter(({ at }) => at <= instants);
      waiting = waiting.filter(({ at }) => at > instants);
      for (const each of now) {
        tell(`  a person reads: ${each.what}`);
        reading.push(read(each));
      }
    },
    owns({ process, what }) {
      if (!readers.has(process)) return false;
      violate({ law: 'S9', text: `a person only read, and ${what} was done` });
      return true;
    },
    plan(all = []) {
      waiting = all;
      reading = [];
    },
    ended: () => Promise.all(reading),
  };
}

/** A contact by its uuid, its address, the name of a person, or its row. */
function about({ sides }: ReadersDep['world'], a: number): About {
  const all = [...sides.service.model.contacts.all()].map(({ record }) => record);
  const record = all[Math.floor((a * all.length) / 1000)];
  const contact = record?.uuid ?? '11111111-1111-4111-8111-111111111111';
  const names = [contact, record?.work_email, record?.first_name, `row:${2 + (a % 9)}`];
  return { contact, reference: names[a % names.length] || contact };
}
