// The disk of this machine. It never writes through a symbolic link.
import { constants } from 'node:fs';
import * as nodeDisk from 'node:fs/promises';
import type { Disk } from './disk.ts';

/**
 * `node:fs/promises`, except that opening a symbolic link for changes is refused with ELOOP. Otherwise an account that
 * can put a link into the folder could make this account write anywhere. Folders may be links. Windows has no such
 * flag. Creating a file (`wx`) follows no link anywhere.
 */
export const machineDisk: Disk = {
  ...nodeDisk,
  open: (path, flags, mode) => nodeDisk.open(path, flags === 'r+' ? constants.O_RDWR | noFollow : flags, mode),
};

/** Undefined on Windows, against its type. */
const noFollow = (constants.O_NOFOLLOW as number | undefined) ?? 0;
