// Asks for the match keys: by what a row without an ID finds its contact, with counts of both sides.
import type { CrmDescription } from '../../crm/port.ts';
import { countKeys, type FieldTexts, type KeyCounts, proposeKeys } from '../../operator/init/keys.ts';
import { textOf } from '../../operator/init/headers.ts';
import { countText } from '../../operator/words.ts';
import type { Sheets } from '../../sheets/port.ts';
import { CommandFailed } from '../errors.ts';
import type { ChosenColumn } from './columns.ts';
import type { ListAnswer } from './list.ts';
import type { Prompts } from './prompts.ts';
import { Refused, type Session } from './session.ts';
import type { SheetAnswer } from './sheet.ts';

interface MatchDep {
  readonly sheets: Sheets;
  readonly sheet: SheetAnswer;
  readonly columns: readonly ChosenColumn[];
  readonly list: ListAnswer;
  readonly crm: CrmDescription;
}

const none = 'none';

export async function askMatch(session: Session, dep: MatchDep): Promise<readonly string[]> {
  const { crm, columns, list } = dep;
  const mapped = new Set(columns.flatMap(({ choice }) => (choice.kind === 'field' ? [choice.field] : [])));
  const rows = await readRows(session, dep);
  const counts = countKeys(crm, mapped, rows, list.contacts);
  const names = counts.map(({ name }) => name);
  const proposed = proposeKeys(counts);
  for (const each of counts) session.say(countsText(each, list.isCut));
  return session.answer({
    id: 'match',
    what: 'the fields by which a row finds its contact, such as email, or none',
    ...(proposed.length > 0 && { safe: proposed.join(',') }),
    parse(text) {
      if (text.trim() === none) return [];
      const wanted = text.split(',').map((each) => each.trim());
      const unknown = wanted.filter((each) => !names.includes(each));
      const possible =
        names.length === 0 ? 'no key is mapped: map email or a profile' : `possible are ${names.join(', ')}`;
      if (unknown.length > 0) throw new Refused(`${unknown.join(', ')} is no key of the mapped columns; ${possible}`);
      return names.filter((each) => wanted.includes(each));
    },
    async ask(prompts) {
      for (;;) {
        const chosen = names.length === 0 ? [] : await askKeys(prompts, counts, proposed);
        if (chosen.length > 0) return chosen.join(',');
        prompts.warn('Without a key nothing tells people apart: each row without an ID becomes a new contact');
        if (await prompts.confirm('Go on without a key?', false)) return none;
        if (names.length === 0) {
          throw new CommandFailed('no mapped column is a key: begin anew, and map e-mail addresses or profiles');
        }
      }
    },
  });
}

function askKeys(
  prompts: Prompts,
  counts: readonly KeyCounts[],
  proposed: readonly string[],
): Promise<readonly string[]> {
  return prompts.chooseMany({
    message: 'A row without an ID finds its contact by',
    options: counts.map(({ name, matched }) => ({
      value: name,
      label: name.replaceAll('+', ' and '),
      hint: `${countText(matched, 'row finds', 'rows find')} a contact`,
    })),
    initial: proposed,
  });
}

/** Every row of the tab with the fields of its mapped columns. */
async function readRows({ world }: Session, { sheets, sheet, columns }: MatchDep): Promise<readonly FieldTexts[]> {
  if (sheet.isBlank) return [];
  const mapped = columns.flatMap(({ column, choice }) =>
    choice.kind === 'field' ? [{ key: choice.field, header: column.header, format: 'text' as const }] : [],
  );
  const table = sheets.openTable({
    spreadsheet: sheet.spreadsheet,
    tab: sheet.tab.reference,
    headerRow: sheet.headerRow,
    idHeader: 'Contact ID',
    columns: mapped,
    owner: 'init',
  });
  const { rows } = await table.read({ signal: world.stop });
  return rows.map(({ cells }) =>
    Object.fromEntries(
      Object.entries(cells).flatMap(([field, value]) => {
        const text = textOf(value);
        return text === '' ? [] : [[field, text]];
      }),
    ),
  );
}

function countsText({ name, rows, contacts, matched }: KeyCounts, isCut: boolean): string {
  const side = (what: string, { all, filled, doubled }: KeyCounts['rows']) =>
    all === 0 ? `no ${what}` : `${filled} of ${all} ${what} have it, ${doubled === 0 ? 'none' : doubled} twice`;
  const of = isCut ? 'of the first contacts' : 'contacts';
  return `${name}: ${side('rows', rows)}; ${side(of, contacts)}; ${countText(matched, 'row finds', 'rows find')} a contact`;
}
