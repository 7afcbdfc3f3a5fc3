// The settings of the pool that a configuration leaves out.

export const postgresDefaults = {
  schema: 'leadsheet',
  poolMax: 10,
  connectTimeoutSecs: 10,
  statementTimeoutSecs: 30,
  migrates: true,
} as const;
