// Chooses the column of a feed by which people know a record.

/** Fields that name a record, the best first. */
const namingFields = ['name', 'title', 'subject', 'email', 'label'];

/** `keys`: the fields of the columns, in their order. Without a field that names a record: the first one. */
export function namingField(keys: readonly string[]): string | undefined {
  return namingFields.find((each) => keys.includes(each)) ?? keys[0];
}
