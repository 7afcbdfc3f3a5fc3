// Validates an answer with cells: the requested fields, and no others.
import type { sheets_v4 } from '@googleapis/sheets';
import * as z from 'zod';
import { type SheetsErrorContext } from '../errors.ts';
import { UnavailableError } from './errors.ts';

const marks = z.array(
  z.looseObject({
    metadataId: z.number().nullish(),
    metadataKey: z.string().nullish(),
    metadataValue: z.string().nullish(),
  }),
);
const marked = z.array(z.looseObject({ developerMetadata: marks.nullish() })).nullish();

const cell = z.looseObject({
  effectiveValue: z
    .looseObject({
      stringValue: z.string().nullish(),
      numberValue: z.number().nullish(),
      boolValue: z.boolean().nullish(),
      errorValue: z.looseObject({ type: z.string().nullish() }).nullish(),
    })
    .nullish(),
  userEnteredValue: z.looseObject({ formulaValue: z.string().nullish() }).nullish(),
});

const bounds = z.looseObject({
  startRowIndex: z.number().nullish(),
  endRowIndex: z.number().nullish(),
  startColumnIndex: z.number().nullish(),
  endColumnIndex: z.number().nullish(),
});

const block = z.looseObject({
  startRow: z.number().nullish(),
  startColumn: z.number().nullish(),
  rowData: z.array(z.looseObject({ values: z.array(cell).nullish() })).nullish(),
  rowMetadata: marked,
  columnMetadata: marked,
});

const sheet = z.looseObject({
  properties: z
    .looseObject({
      sheetId: z.number().nullish(),
      title: z.string().nullish(),
      gridProperties: z.looseObject({ rowCount: z.number().nullish(), columnCount: z.number().nullish() }).nullish(),
    })
    .nullish(),
  developerMetadata: marks.nullish(),
  protectedRanges: z
    .array(z.looseObject({ range: bounds.nullish(), unprotectedRanges: z.array(z.unknown()).nullish() }))
    .nullish(),
  data: z.array(block).nullish(),
});

const gridAnswer = z.looseObject({ sheets: z.array(sheet).nullish() });

/** For use within a read. Throws `UnavailableError` for an answer of another shape: from a proxy, or cut short. */
export function checkGridAnswer(data: unknown, context: SheetsErrorContext): sheets_v4.Schema$Spreadsheet {
  const { success, error } = gridAnswer.safeParse(data);
  if (success) return data as sheets_v4.Schema$Spreadsheet;
  const where = error.issues[0]?.path.join('.') ?? '';
  throw new UnavailableError(`an answer of another shape${where === '' ? '' : ` (at ${where})`}`, context);
}
