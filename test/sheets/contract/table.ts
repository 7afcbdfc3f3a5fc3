// The contract tests of src/sheets/port.ts, which every driver passes.
import { describeChanging } from './changing.ts';
import { describeReading } from './reading.ts';
import type { TableDriver } from './setup.ts';

export function describeTableContract(name: string, driver: TableDriver): void {
  describeReading(name, driver);
  describeChanging(name, driver);
}
