// The default properties of a new spreadsheet (SpreadsheetProperties of an en_US account).
import type { JsonObject } from './json.ts';

const white: JsonObject = { red: 1, green: 1, blue: 1 };

const themeColors: readonly (readonly [string, JsonObject])[] = [
  ['TEXT', {}],
  ['BACKGROUND', white],
  ['ACCENT1', { red: 0.258_823_54, green: 0.521_568_66, blue: 0.956_862_75 }],
  ['ACCENT2', { red: 0.917_647_06, green: 0.262_745_1, blue: 0.207_843_14 }],
  ['ACCENT3', { red: 0.984_313_7, green: 0.737_254_9, blue: 0.015_686_275 }],
  ['ACCENT4', { red: 0.203_921_57, green: 0.658_823_55, blue: 0.325_490_2 }],
  ['ACCENT5', { red: 1, green: 0.427_450_98, blue: 0.003_921_569 }],
  ['ACCENT6', { red: 0.274_509_82, green: 0.741_176_5, blue: 0.776_470_6 }],
  ['LINK', { red: 0.066_666_67, green: 0.333_333_34, blue: 0.8 }],
];

export function defaultProperties(title: string, timeZone = 'Etc/GMT'): JsonObject {
  return {
    title,
    locale: 'en_US',
    autoRecalc: 'ON_CHANGE',
    timeZone,
    defaultFormat: {
      backgroundColor: white,
      padding: { top: 2, right: 3, bottom: 2, left: 3 },
      verticalAlignment: 'BOTTOM',
      wrapStrategy: 'OVERFLOW_CELL',
      textFormat: {
        foregroundColor: {},
        fontFamily: 'arial,sans,sans-serif',
        fontSize: 10,
        bold: false,
        italic: false,
        strikethrough: false,
        underline: false,
        foregroundColorStyle: { rgbColor: {} },
      },
      backgroundColorStyle: { rgbColor: white },
    },
    spreadsheetTheme: {
      primaryFontFamily: 'Arial',
      themeColors: themeColors.map(([colorType, rgbColor]) => ({ colorType, color: { rgbColor } })),
    },
  };
}
