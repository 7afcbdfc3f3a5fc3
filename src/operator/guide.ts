// What a person may try in a trial, and which of it has happened since both sides were equal.
import type { ChangeLine } from './answers/history.ts';
import { readLog } from './history.ts';
import type { Operator } from './operator.ts';

/** A trial that runs: made-up data, two stand-ins, and what its guide names. */
export interface Trial {
  /** Undefined: the first runs still carry each side over to the other. */
  readonly begun: () => TrialBegun | undefined;
}

export interface TrialBegun {
  /** Epoch milliseconds at which both sides were equal. */
  readonly at: number;
  readonly sheetsUrl: string;
  readonly serviceUrl: string;
  readonly token: string;
  /** Begins every command line. */
  readonly command: string;
  /** A contact to change. */
  readonly contact: { readonly uuid: string; readonly name: string };
}

export interface GuideStep {
  readonly text: string;
  /** Lines to copy into a terminal. */
  readonly commands: readonly string[];
}

export interface GuideStepNow extends GuideStep {
  readonly isDone: boolean;
}

interface Told extends GuideStep {
  readonly isDoneBy: (line: ChangeLine) => boolean;
}

/** The steps in their order. */
export function guideSteps(begun: TrialBegun): readonly GuideStep[] {
  return tellSteps(begun);
}

function tellSteps({ serviceUrl, token, command, contact }: TrialBegun): readonly Told[] {
  return [
    {
      text: 'Type another position into a cell of the sheet. It goes to the service.',
      commands: [],
      isDoneBy: ({ sync, side, op }) => sync === 'prospects' && side === 'crm' && op === 'update',
    },
    {
      text: `Change ${contact.name} in the service, in another terminal. It goes to the sheet.`,
      commands: [
        `export OUTREACH_BASE_URL=${serviceUrl} OUTREACH_TOKEN=${token}`,
        `${command} api contacts.update --uuid ${contact.uuid} --position Captain`,
      ],
      // The service changes the status of a contact by itself.
      isDoneBy: ({ sync, side, op, field }) =>
        sync === 'prospects' && side === 'sheet' && op === 'set' && field !== null && field !== 'status',
    },
    {
      text: 'Delete a row of the sheet. It comes back, since nobody deleted the contact.',
      commands: [],
      isDoneBy: ({ sync, op, rule }) => sync === 'prospects' && op === 'append' && rule === 'D1',
    },
    {
      text:
        'Type "Welcome sequence" into an Automation cell. The contact is put into that automation, once; the Enrolment cell ' +
        'says so. A new person with one, below the last row, is created and put into it by one call. Type "Welcome", or the ' +
        'name into a row whose Status is failed_validation: nothing is sent, and the cell says why. Empty the cell to cancel.',
      commands: [],
      isDoneBy: ({ sync, op, automation }) =>
        sync === 'prospects' && (op === 'enrol' || (op === 'create' && typeof automation === 'string')),
    },
    {
      text:
        'In the tab Automations, type "off" into the Status of Welcome sequence: it stops. "on" for Spring campaign, which is ' +
        'archived, is refused. Write notes beside the rows, and sort them: they stay together.',
      commands: [],
      isDoneBy: ({ sync, side, op }) => sync === 'automations' && side === 'crm' && op === 'update',
    },
    {
      text: 'The tab Emails has the last 20 e-mails of the service. What you type over them is put back.',
      commands: [],
      isDoneBy: ({ sync, side, op, field }) => sync === 'emails' && side === 'sheet' && op === 'set' && field !== null,
    },
  ];
}

/** Undefined: the trial has not begun. Reads the history since it began. */
export async function readGuide(
  operator: Operator,
  trial: Trial,
  signal: AbortSignal,
): Promise<readonly GuideStepNow[] | undefined> {
  const begun = trial.begun();
  if (!begun) return undefined;
  const steps = tellSteps(begun);
  const done = new Set<Told>();
  for await (const line of readLog(operator, { since: new Date(begun.at).toISOString() }, { follow: false, signal })) {
    if ('decision' in line || line.outcome !== 'done') continue;
    for (const step of steps) if (step.isDoneBy(line)) done.add(step);
  }
  return steps.map((step) => ({ text: step.text, commands: step.commands, isDone: done.has(step) }));
}
