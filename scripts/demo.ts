// npm run demo [-- terminal|console]: records the demos of the README, a session in a terminal and a walk through the console.
import { recordConsole } from './demo/console.ts';
import { recordTerminal } from './demo/terminal.ts';

/** Left out: both. */
const which = process.argv[2];
if (which !== 'console') await recordTerminal();
if (which !== 'terminal') await recordConsole();
