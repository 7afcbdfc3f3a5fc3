// Requests on protected ranges.
import type { z } from 'zod';
import type { Edit } from '../edit.ts';
import { invalidArgument } from '../errors.ts';
import { parseUpdateMask } from '../field-mask.ts';
import { closedGridRange, resolveGridRange } from '../grid-range.ts';
import { protectionToJson } from '../resource-json.ts';
import { bool, gridRange, int, list, message, text } from '../schema.ts';
import type { ProtectedRange, Sheet } from '../sheet.ts';
import { requestKind } from './request-kind.ts';

const protectedRange = message('ProtectedRange', {
  protectedRangeId: int.optional(),
  range: gridRange.optional(),
  namedRangeId: text.optional(),
  tableId: text.optional(),
  description: text.optional(),
  warningOnly: bool.optional(),
  requestingUserCanEdit: bool.optional(),
  unprotectedRanges: list(gridRange).optional(),
  editors: message('Editors', {
    users: list(text).optional(),
    groups: list(text).optional(),
    domainUsersCanEdit: bool.optional(),
  }).optional(),
});
type ProtectedRangeInput = z.output<typeof protectedRange>;

function resolve(edit: Edit, input: ProtectedRangeInput): { sheet: Sheet; range: ProtectedRange['range'] } {
  if (input.namedRangeId !== undefined) {
    const named = edit.spreadsheet.namedRanges.find((entry) => entry.id === input.namedRangeId);
    if (!named) throw invalidArgument(`No named range with id: ${input.namedRangeId}`);
    return { sheet: edit.spreadsheet.sheet(named.sheetId), range: named.range };
  }
  if (!input.range) throw invalidArgument('protectedRange.range must be specified');
  return resolveGridRange(edit.spreadsheet, input.range);
}

const addProtectedRange = requestKind(
  message('AddProtectedRangeRequest', { protectedRange: protectedRange.optional() }),
  (edit, { protectedRange: input = {} }) => {
    const { sheet, range } = resolve(edit, input);
    if (input.warningOnly === true && (input.editors?.users?.length ?? 0) > 0) {
      throw invalidArgument('editors cannot be specified when warningOnly is true');
    }
    const id = input.protectedRangeId ?? edit.newId();
    if (find(edit, id)) throw invalidArgument(`A protected range with id ${id} already exists`);
    const entry: ProtectedRange = {
      id,
      range,
      ...(input.namedRangeId === undefined ? {} : { namedRangeId: input.namedRangeId }),
      ...(input.description === undefined || input.description === '' ? {} : { description: input.description }),
      warningOnly: input.warningOnly ?? false,
      // The account that protects a range can edit it.
      editors: [...new Set([edit.caller.email, ...(input.editors?.users ?? [])])],
      unprotectedRanges: (input.unprotectedRanges ?? []).map((open) => closedGridRange(edit.spreadsheet, open).rect),
    };
    sheet.protectedRanges.push(entry);
    // The reply repeats the editors as sent; the next get has the full list (recorded).
    const users = input.editors?.users ?? [];
    const editors = users.length > 0 ? { users } : {};
    return { addProtectedRange: { protectedRange: { ...protectionToJson(sheet, entry, true), editors } } };
  },
);

function find(edit: Edit, id: number | undefined): { sheet: Sheet; entry: ProtectedRange } | undefined {
  for (const sheet of edit.spreadsheet.sheets) {
    const entry = sheet.protectedRanges.find((other) => other.id === id);
    if (entry) return { sheet, entry };
  }
  return undefined;
}

/** Only an editor of a protected range may change or remove the protection. */
function findOwn(edit: Edit, id: number | undefined): { sheet: Sheet; entry: ProtectedRange } {
  const found = find(edit, id);
  if (!found) throw invalidArgument(`No protected range with id: ${id ?? 0}`);
  const { entry } = found;
  const { email } = edit.caller;
  if (!entry.warningOnly && email !== edit.ownerEmail && !entry.editors.includes(email)) {
    throw invalidArgument(edit.behaviour.protectedMessage);
  }
  return found;
}

const updateProtectedRange = requestKind(
  message('UpdateProtectedRangeRequest', { protectedRange: protectedRange.optional(), fields: text.optional() }),
  (edit, { protectedRange: input = {}, fields }) => {
    const mask = parseUpdateMask(fields);
    const { sheet, entry } = findOwn(edit, input.protectedRangeId);
    const { description: _description, ...rest } = entry;
    const description = mask.has('description') ? input.description : entry.description;
    const moved = mask.has('range') || mask.has('namedRangeId') ? resolve(edit, input) : { sheet, range: entry.range };
    if (moved.sheet !== sheet) throw invalidArgument('A protected range cannot be moved to another sheet');
    const changed: ProtectedRange = {
      ...rest,
      range: moved.range,
      ...(description === undefined || description === '' ? {} : { description }),
      warningOnly: mask.has('warningOnly') ? (input.warningOnly ?? false) : entry.warningOnly,
      editors: mask.has('editors') ? (input.editors?.users ?? []) : entry.editors,
      unprotectedRanges: mask.has('unprotectedRanges')
        ? (input.unprotectedRanges ?? []).map((open) => closedGridRange(edit.spreadsheet, open).rect)
        : entry.unprotectedRanges,
    };
    sheet.protectedRanges = sheet.protectedRanges.map((other) => (other === entry ? changed : other));
    return undefined;
  },
);

const deleteProtectedRange = requestKind(
  message('DeleteProtectedRangeRequest', { protectedRangeId: int.optional() }),
  (edit, { protectedRangeId }) => {
    const { sheet, entry } = findOwn(edit, protectedRangeId);
    sheet.protectedRanges = sheet.protectedRanges.filter((other) => other !== entry);
    return undefined;
  },
);

export const protectionRequests = { addProtectedRange, updateProtectedRange, deleteProtectedRange };
