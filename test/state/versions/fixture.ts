// Keeps both sides and the state of a trial in a folder, and begins a trial from one. make.ts copies this file into checkouts of
// earlier versions, so that it uses nothing that `f0b5e3b` did not have.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Snapshot } from '../../../src/standin/service/snapshot.ts';
import { createSyncTrial, type TrialOptions } from '../../support/app.ts';
import { useJumpingClock } from '../../support/service.ts';

export type Trial = ReturnType<typeof createSyncTrial>;

/** What a version says of the fixture that it wrote. */
export interface Story {
  /** Of the day 2026-11-21, in which it ended. */
  readonly hour: number;
  /** The last run, which changed Dee in the service and Cy in the sheet. */
  readonly run: string;
}

export const ofSync: TrialOptions = { sync: { automation: { column: 'Automation' } } };

export function storyOf(folder: string): Story {
  return JSON.parse(readFileSync(join(folder, 'story.json'), 'utf8')) as Story;
}

/** Both sides and the state as they were left, an hour later. */
export async function takeUp(folder: string): Promise<Trial> {
  const hour = String(storyOf(folder).hour + 1).padStart(2, '0');
  useJumpingClock(`2026-11-21T${hour}:00:00Z`);
  const values = JSON.parse(readFileSync(join(folder, 'sheet.json'), 'utf8')) as NonNullable<TrialOptions['values']>;
  const trial = createSyncTrial({ ...ofSync, values });
  const { model, world } = trial.service;
  await new Snapshot(join(folder, 'service.json'), model, world).load();
  cpSync(join(folder, 'state'), join(trial.folder, 'state'), { recursive: true });
  return trial;
}

/** Without locks, which name a process of that day, and without what is derived. */
export async function keep(trial: Trial, folder: string, run: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { model, world } = trial.service;
  const service = join(folder, 'service.json');
  const snapshot = new Snapshot(service, model, world);
  snapshot.touch();
  await snapshot.flush();
  // Without its indentation, which is a third of it.
  writeFileSync(service, JSON.stringify(JSON.parse(readFileSync(service, 'utf8'))));
  writeFileSync(join(folder, 'sheet.json'), JSON.stringify(trial.person.read("'Prospects'")));
  const story: Story = { hour: new Date().getUTCHours(), run };
  writeFileSync(join(folder, 'story.json'), JSON.stringify(story));
  const isKept = (path: string) => !/^(?:lock|\.index|\.budget)/.test(basename(path));
  cpSync(join(trial.folder, 'state'), join(folder, 'state'), { recursive: true, filter: isKept });
}

/** The enrolments that the service has: `ADDRESS AUTOMATION`. */
export function enrolled({ service: { model } }: Trial): readonly string[] {
  return [...model.automations.enrolments()].map(({ flow_uuid, lead_uuid }) => {
    const contact = model.contacts.find(lead_uuid)?.record;
    return `${contact?.work_email ?? lead_uuid} ${model.automations.table.get(flow_uuid).name}`;
  });
}
