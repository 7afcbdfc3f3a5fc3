// Sabotages of what holds while people sort cells without the IDs, or a column alone, type numbers in formats, and merge cells (G1, G2, I2, V3, V8).
import type { Sabotage } from './sabotage.ts';

export const hands: readonly Sabotage[] = [
  {
    name: 'cells that were moved without their IDs are edits',
    file: 'sync/guard/moved.ts',
    text: 'const found = areEnough(typed)',
    instead: 'const found = typed.length > 1e9',
  },
  {
    name: 'moved cells are noticed only where a state knows their rows',
    file: 'sync/guard/moved.ts',
    text: "link === undefined ? id !== '' && contactOf(id) : lastSeen(link, 'sheet')",
    instead: "link === undefined ? id === '?' && contactOf(id) : lastSeen(link, 'sheet')",
  },
  {
    name: 'a person who was cut without the ID becomes two',
    file: 'sync/match/moved-person.ts',
    text: 'return areMost(changed.filter((index) => there[index] === before[index]).length, changed);',
    instead: 'return false;',
  },
  {
    name: 'a person who was filled down over others gives them a name',
    file: 'sync/match/match.ts',
    text: '  withholdFilledOver(matching);\n',
    instead: '',
  },
  {
    name: 'a list that is pasted over rows makes their contacts other people',
    file: 'sync/guard/guard.ts',
    text: 'const replaced = whyReplaced(input, changes);',
    instead: 'const replaced = changes.length < 0 ? whyReplaced(input, changes) : undefined;',
  },
  {
    name: 'the number behind a format goes to the service',
    file: 'sheets/google/rows.ts',
    text: 'isCovered ? covered : isText && text !== undefined ? text : value',
    instead: 'isCovered ? covered : isText && text === undefined ? text! : value',
  },
  {
    name: 'a cell that merged cells cover is a blank one',
    file: 'sheets/google/open-cells.ts',
    text: 'cell.answered === null && merges.some(',
    instead: 'cell.answered === undefined && merges.some(',
  },
  {
    name: 'nobody asks for merged cells before a cancel',
    file: 'engine/sync/rows-back.ts',
    text: "if (rule === 'E5' && row !== null && covered",
    instead: "if (rule === 'E5' && row === 0 && covered",
  },
  {
    name: 'one column that was sorted alone is let through',
    file: 'sync/guard/moved-column.ts',
    text: 'const areMany = distinct >= movedCellsMin',
    instead: 'const areMany = distinct >= 1e9',
  },
  {
    name: 'wishes that were sorted alone are let through',
    file: 'sync/guard/moved-wishes.ts',
    text: 'const areMany = moved.size >= movedWishesMin',
    instead: 'const areMany = moved.size >= 1e9',
  },
  {
    name: 'cancels of emptied cells have no limit',
    file: 'sync/guard/guard.ts',
    text: "{ what: 'deletes', count: cancels,",
    instead: "{ what: 'deletes', count: cancels * 0,",
  },
];
