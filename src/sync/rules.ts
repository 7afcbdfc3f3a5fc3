// The ids of the rules that decisions quote. docs/SPEC.md has their text; `merge` is its table "Merge, one field".

export type RuleId =
  | 'merge'
  | `V${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`
  | `M${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`
  | `I${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10}`
  | `D${1 | 2 | 3 | 4 | 5 | 6}`
  | `G${1 | 2 | 3 | 4 | 5 | 6 | 7}`
  | `W${2 | 3 | 4 | 5 | 6 | 10 | 11}`
  | `E${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`
  | `F${1 | 2 | 3 | 4 | 5}`
  | `P${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`
  | `H${1 | 2 | 3 | 4 | 5}`
  | 'S4'
  | 'S7';
