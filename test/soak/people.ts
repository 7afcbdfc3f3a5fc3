// People at both sides who type, sort, enter and delete all the time, with about the same number of records throughout.
import type { Random } from '../../src/standin/service/random.ts';
import { type createSides, tab } from '../support/sides.ts';

const fieldByHeader = {
  'First name': 'first_name',
  'Last name': 'last_name',
  Company: 'company_name',
  Position: 'position',
  Email: 'work_email',
} as const;
export const headers = Object.keys(fieldByHeader);
export const columns = {
  'First name': 'first_name',
  'Last name': 'last_name',
  Company: 'company_name',
  Position: 'position',
  Email: 'email',
};
const editable = ['Last name', 'Company', 'Position'] as const;

type Sides = Awaited<ReturnType<typeof createSides>>;

export function createPeople(sides: Sides, random: Random, size: number) {
  const { person, service } = sides;
  const { contacts } = service.model;
  let count = 0;

  return {
    enterInSheet,
    enterInService,
    act,
    /** The number of acts so far. */
    count: () => count,
    differences,
  };

  function cellsOf(): string[] {
    count += 1;
    return [
      `First ${count}`,
      `Last ${count}`,
      `Company ${count % 40}`,
      `Position ${count % 12}`,
      `p${count}@soak.test`,
    ];
  }

  function enterInService(): void {
    const cells = cellsOf();
    const fields = Object.fromEntries(Object.values(fieldByHeader).map((field, index) => [field, cells[index]!]));
    sides.addContact({ ...fields, name: `${cells[0]} ${cells[1]}` });
  }

  function enterInSheet(): void {
    person.paste(`${tab}!A${person.read(tab).length + 1}`, [cellsOf()]);
  }

  /** One act of a person on one side. */
  function act(): void {
    count += 1;
    const isMany = contacts.size > size;
    const lines = person.read(tab).length;
    switch (random.integer(0, 9)) {
      case 0:
        return isMany ? person.deleteRows(tab, rowToDelete(lines)) : enterInSheet();
      case 1:
        return isMany ? contacts.remove(anybody()) : enterInService();
      case 2:
        return person.sort(tab, letterOf(random.pick(headers)));
      case 3:
      case 4:
      case 5:
        return void contacts.change(anybody(), {
          fields: { [fieldByHeader[random.pick(editable)]]: `Changed ${count}` },
        });
      default:
        return person.type(`${tab}!${letterOf(random.pick(editable))}${random.integer(2, lines)}`, `Typed ${count}`);
    }
  }

  /** Rows that were kept because a person edited them while their contact was deleted are deleted first. */
  function rowToDelete(lines: number): number {
    const [header = [], ...cells] = person.read(tab) as readonly (readonly string[])[];
    const marked = cells.findIndex((each) => isMarked(each[header.indexOf('Sync')]));
    return marked < 0 ? random.integer(2, lines) : marked + 2;
  }

  function anybody(): string {
    return random.pick([...contacts.all()]).record.uuid;
  }

  /** The people, by e-mail address, who differ between the sides. */
  function differences(): readonly string[] {
    const text = (values: readonly unknown[]) => JSON.stringify(values.map((value) => value ?? ''));
    const inSheet = sides
      .rows()
      .filter(({ Sync }) => !isMarked(Sync))
      .map((row) => text([row['Contact ID'], ...headers.map((header) => row[header])]));
    const inService = sides
      .contacts()
      .map((contact) => text([contact.uuid, ...Object.values(fieldByHeader).map((field) => contact[field])]));
    const [there, here] = [new Set(inService), new Set(inSheet)];
    return [...inSheet.filter((each) => !there.has(each)), ...inService.filter((each) => !here.has(each))];
  }
}

const letterOf = (header: string) => String.fromCodePoint('A'.codePointAt(0)! + headers.indexOf(header));
const isMarked = (status: string | undefined) => status?.includes('deleted in the CRM') ?? false;
