// W4: what leadsheet wrote into a row that was another one by then, and takes out of it again in the same run, counts as not written.

/** Remembers the entries of `list` by their places in the tab. `runBeganAt`: of the process at work. */
export function createTakenBack<Entry>(list: Entry[], runBeganAt: () => number) {
  const entries = new Map<string, { readonly entry: Entry; readonly runBeganAt: number }>();

  return {
    /** `place`: of the last entry of the list. */
    note(place: string): void {
      entries.set(place, { entry: list.at(-1)!, runBeganAt: runBeganAt() });
    },
    /** Takes the entry of this run at the place out of the list, if it is what is undone. Returns whether it was. */
    undoes(place: string, isUndone: (entry: Entry) => boolean): boolean {
      const known = entries.get(place);
      if (known?.runBeganAt !== runBeganAt() || !isUndone(known.entry)) return false;
      list.splice(list.indexOf(known.entry), 1);
      entries.delete(place);
      return true;
    },
  };
}
