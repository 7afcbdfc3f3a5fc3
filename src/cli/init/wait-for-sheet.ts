// Waits until the account of the key reaches a spreadsheet, and tells what is missing while it looks again and again.
import delay from 'delay';
import { type Access, lookAtSpreadsheet } from '../../operator/init/access.ts';
import type { Sheets, SpreadsheetTabs } from '../../sheets/port.ts';
import { Cancelled } from './cancelled.ts';
import { Refused, type Session } from './session.ts';

/** A look is one read and one write, of the 60 that Google allows in a minute. */
const lookEveryMs = 3_000;

/** Throws Refused if a person wants another sheet, or if there is nobody to wait for. */
export async function waitForSheet(session: Session, sheets: Sheets, spreadsheet: string): Promise<SpreadsheetTabs> {
  const { world, prompts } = session;
  let access = await lookAtSpreadsheet(sheets, spreadsheet, { signal: world.stop });
  for (;;) {
    if (access.kind === 'ready') return access.spreadsheet;
    const { what, remedy } = access;
    if (!prompts) throw new Refused(`${what}. ${remedy}`, 'failed');
    const changed = new AbortController();
    const given = new AbortController();
    const looking = lookUntilChanged(sheets, spreadsheet, access.code, AbortSignal.any([world.stop, given.signal]));
    // A fault of the look ends the question, too; it is thrown below.
    const found = looking.finally(() => changed.abort());
    found.catch(() => undefined);
    let chosen;
    try {
      chosen = await prompts.choose({
        message: `${what}. ${remedy}. This goes on by itself once that is done`,
        options: [
          { value: 'look', label: 'Look again now' },
          ...(session.isGiven('spreadsheet') ? [] : [{ value: 'other', label: 'Take another sheet' } as const]),
          { value: 'stop', label: 'Give up' },
        ],
        until: changed.signal,
      });
    } finally {
      given.abort();
    }
    const next = await found;
    if (chosen === 'stop') throw new Cancelled();
    if (chosen === 'other') throw new Refused('give the address of the other sheet');
    access = next ?? (await lookAtSpreadsheet(sheets, spreadsheet, { signal: world.stop }));
    if (access.kind === 'ready') session.say('The sheet is shared, and may be edited');
  }
}

/** The first look that says something else than `code`; undefined: it was given up. */
async function lookUntilChanged(
  sheets: Sheets,
  spreadsheet: string,
  code: string,
  signal: AbortSignal,
): Promise<Access | undefined> {
  for (;;) {
    try {
      await delay(lookEveryMs, { signal });
      const access = await lookAtSpreadsheet(sheets, spreadsheet, { signal });
      if (access.kind === 'ready' || access.code !== code) return access;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }
}
