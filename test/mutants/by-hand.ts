// Faults that readers of the program thought of, by the folder of src that they are in. Those that nothing notices are in
// docs/testing-figures.md alone.
import { ofSync } from './by-hand/sync.ts';
import { ofEngine } from './by-hand/engine.ts';
import { ofSheets } from './by-hand/sheets.ts';
import { ofState } from './by-hand/state.ts';
import { ofCrm } from './by-hand/crm.ts';
import { ofOthers } from './by-hand/others.ts';
import type { Sabotage } from './by-hand/sabotage.ts';

export const sabotages: readonly Sabotage[] = [...ofSync, ...ofEngine, ...ofSheets, ...ofState, ...ofCrm, ...ofOthers];
