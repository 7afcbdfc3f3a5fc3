// @clack/prompts, set up for our questions.
import { settings } from '@clack/prompts';

// A terminal passes an Enter that was pressed before the question on as a line feed. @clack/prompts takes that for an arrow key, so that it
// would turn the "No" of a question into "Yes".
settings.actions.delete('enter');

export * from '@clack/prompts';
