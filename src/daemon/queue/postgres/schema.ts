// The schema of the queue's tables.

/** Ours and those of pg-boss: the schema of the state has the tables of the state alone. */
export function queueSchema(schema: string): string {
  return `${schema}_queue`;
}
