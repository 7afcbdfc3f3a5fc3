// An index from keys to contacts or rows. It is built when first asked for: most runs have nothing to look up.

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
