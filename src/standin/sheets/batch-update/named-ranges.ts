// Requests on named ranges.
import type { Edit } from '../edit.ts';
import { invalidArgument } from '../errors.ts';
import { parseUpdateMask } from '../field-mask.ts';
import { resolveGridRange } from '../grid-range.ts';
import { namedRangeToJson } from '../resource-json.ts';
import { gridRange, message, text } from '../schema.ts';
import type { NamedRange } from '../spreadsheet.ts';
import { requestKind } from './request-kind.ts';

const namedRange = message('NamedRange', {
  namedRangeId: text.optional(),
  name: text.optional(),
  range: gridRange.optional(),
});

function requireName(edit: Edit, name: string | undefined, self: NamedRange | undefined): string {
  if (name === undefined || !/^[\p{L}_][\p{L}\p{N}_]{0,249}$/u.test(name) || /^(?:true|false)$/i.test(name)) {
    throw invalidArgument(`The name of the named range is invalid: ${name ?? ''}`);
  }
  const other = edit.spreadsheet.namedRanges.find((entry) => entry.name.toLowerCase() === name.toLowerCase());
  if (other && other !== self) throw invalidArgument(`A named range with the name "${name}" already exists.`);
  return name;
}

const addNamedRange = requestKind(
  message('AddNamedRangeRequest', { namedRange: namedRange.optional() }),
  (edit, { namedRange: input = {} }) => {
    if (!input.range) throw invalidArgument('namedRange.range must be specified');
    const { sheet, range } = resolveGridRange(edit.spreadsheet, input.range);
    const id = input.namedRangeId ?? String(edit.newId());
    if (edit.spreadsheet.namedRanges.some((entry) => entry.id === id)) {
      throw invalidArgument(`A named range with id ${id} already exists`);
    }
    const named: NamedRange = { id, name: requireName(edit, input.name, undefined), sheetId: sheet.id, range };
    edit.spreadsheet.namedRanges.push(named);
    return { addNamedRange: { namedRange: namedRangeToJson(named) } };
  },
);

function find(edit: Edit, id: string | undefined): NamedRange {
  const named = edit.spreadsheet.namedRanges.find((entry) => entry.id === id);
  if (!named) throw invalidArgument(`No named range with id: ${id ?? ''}`);
  return named;
}

const updateNamedRange = requestKind(
  message('UpdateNamedRangeRequest', { namedRange: namedRange.optional(), fields: text.optional() }),
  (edit, { namedRange: input = {}, fields }) => {
    const mask = parseUpdateMask(fields);
    const named = find(edit, input.namedRangeId);
    const place = mask.has('range') && input.range ? resolveGridRange(edit.spreadsheet, input.range) : undefined;
    const changed: NamedRange = {
      ...named,
      name: mask.has('name') ? requireName(edit, input.name, named) : named.name,
      ...(place ? { sheetId: place.sheet.id, range: place.range } : {}),
    };
    edit.spreadsheet.namedRanges = edit.spreadsheet.namedRanges.map((entry) => (entry === named ? changed : entry));
    return undefined;
  },
);

const deleteNamedRange = requestKind(
  message('DeleteNamedRangeRequest', { namedRangeId: text.optional() }),
  (edit, { namedRangeId }) => {
    const named = find(edit, namedRangeId);
    edit.spreadsheet.namedRanges = edit.spreadsheet.namedRanges.filter((entry) => entry !== named);
    return undefined;
  },
);

export const namedRangeRequests = { addNamedRange, updateNamedRange, deleteNamedRange };
