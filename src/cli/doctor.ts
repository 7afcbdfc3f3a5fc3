// The command `doctor`: tells how the installation stands, also where a part of it is broken.
import { arch, platform, release } from 'node:os';
import { versions } from 'node:process';
import { connectState, lookAtState, placeText, workersOf } from '../app-state.ts';
import type { Config, StateConfig } from '../config/config.ts';
import { examine } from '../operator/doctor/doctor.ts';
import type { Opened } from '../operator/doctor/patient.ts';
import { version } from '../version.ts';
import { contactDaemon, createLookout, lookMs } from './contact.ts';
import { configPathOf, type GlobalOptions } from './globals.ts';
import { doctorText } from './print/doctor.ts';
import { printAnswer } from './print/lines.ts';
import { readConfig } from './read-config.ts';
import type { CliWorld } from './world.ts';

export async function runDoctor(globals: GlobalOptions, world: CliWorld): Promise<void> {
  const answer = await examine({
    versions: { leadsheet: version, node: versions.node, system: `${platform()} ${release()} ${arch()}` },
    env: world.env,
    path: configPathOf(globals, world),
    read: () => readConfig(globals, world),
    open: (config) => open(config, world),
    now: world.now,
  });
  printAnswer(answer, doctorText, globals, world);
}

/** As the schema of the file has it. */
const defaultState: StateConfig = { kind: 'file', folder: './state' };

function open(config: Config | undefined, world: CliWorld): Opened {
  const about = { state: config?.state ?? defaultState };
  let daemonVersion: string | undefined;
  const workers = config && workersOf(config);
  return {
    place: placeText(about.state),
    driver: about.state.kind === 'file' ? 'files' : 'postgres',
    look: () => lookAtState(about, world),
    // A warning of a store is about damage that its readers are told of, too.
    store: connectState(about, world, () => {}),
    lookout: {
      ...createLookout(about, world),
      async ask() {
        const reply = await contactDaemon(about, { silentMs: lookMs, signal: world.stop });
        if (reply.kind !== 'told') {
          if (reply.kind === 'other-version') daemonVersion = reply.version;
          return reply;
        }
        daemonVersion = reply.told.version;
        return { kind: 'told', told: reply.told.heartbeat };
      },
    },
    ...(workers && { workers }),
    daemonVersion: () => daemonVersion,
  };
}
