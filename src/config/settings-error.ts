/** A setting is missing or wrong; the message says which and what to do. */
export class SettingsError extends Error {
  override readonly name: string = 'SettingsError';
}
