// The statement that makes a schema of PostgreSQL where there is none.

/**
 * CREATE SCHEMA IF NOT EXISTS asks for the right to make schemas also where the schema is there: a user without that right could not use
 * one that was made for it. `schema`: lower-case letters, digits and underscores.
 */
export function makeSchemaSql(schema: string): string {
  return `DO $$ BEGIN IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF; END $$`;
}
