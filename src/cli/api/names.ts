// The names of the operations of the service and of their parameters, for the completion of command lines.
import { inputNames } from '../../crm/outreach/call/input.ts';
import { operationList } from '../../crm/outreach/operations/table.ts';

export const operationNames: readonly string[] = operationList.map(({ name }) => name);

/** As options: `--uuid`. Empty if there is no such operation. */
export function operationParameters(name: string): readonly string[] {
  const found = operationList.find((each) => each.name === name);
  return found ? inputNames(found.operation).map((parameter) => `--${parameter}`) : [];
}
