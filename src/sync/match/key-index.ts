// Who or what has a key: built once where somebody asks, since most runs have nobody to look for.

export type Index<Item> = ReadonlyMap<string, readonly Item[]>;

export function addToIndex<Item>(index: Map<string, Item[]>, texts: readonly string[], item: Item): void {
  for (const text of texts) {
    const items = index.get(text);
    if (items) items.push(item);
    else index.set(text, [item]);
  }
}

export function computeOnce<Result>(compute: () => Result): () => Result {
  let result: { readonly value: Result } | undefined;
  return () => (result ??= { value: compute() }).value;
}
