// People who insert and delete rows above the headers, so that these stand in another row than the configuration says (G1), and who
// put that right again.
import type { Act, TitleAct } from '../scenario/scenario.ts';
import { tabTitle } from '../world/setting.ts';
import type { PeopleDep } from './dep.ts';
import type { Typing } from './typing.ts';

export function createTitles({ sides: { person }, setting, view }: PeopleDep, { tell }: Typing) {
  const configured = (setting.titleRows ?? 0) + 1;
  /** Rows that are too many, or, below 0, missing. */
  const off = () => view().headerRow - configured;

  return { act };

  function act(what: TitleAct, { b }: Act): boolean {
    switch (what) {
      case 'insert title':
        insert(1 + (b % view().headerRow), 1);
        return true;
      case 'delete title':
        if (view().headerRow === 1) return false;
        remove(1 + (b % (view().headerRow - 1)), 1);
        return true;
      case 'put header right':
        if (off() > 0) remove(1, off());
        else if (off() < 0) insert(1, -off());
        else return false;
        return true;
    }
  }

  function insert(at: number, count: number): void {
    tell(`sheet: inserts ${count} above row ${at}, over the headers`);
    person.insertRows(tabTitle, at, count);
  }

  function remove(at: number, count: number): void {
    tell(`sheet: deletes ${count} from row ${at} on, over the headers`);
    person.deleteRows(tabTitle, at, count);
  }
}
