/** A setting is missing or wrong; the message names it and the correction. */
export class SettingsError extends Error {
  override readonly name: string = 'SettingsError';
}
