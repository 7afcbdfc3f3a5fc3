// The disk of this machine, which writes through no symbolic link.
import { constants } from 'node:fs';
import * as nodeDisk from 'node:fs/promises';
import type { Disk } from './disk.ts';

/**
 * `node:fs/promises`, but for files that are opened to be changed: one that is a symbolic link is refused with ELOOP, since
 * whoever can put a link into the folder could have this account write anywhere. Folders may be links. Windows has no such
 * flag. Files that are made (`wx`) follow no link anywhere.
 */
export const machineDisk: Disk = {
  ...nodeDisk,
  open: (path, flags, mode) => nodeDisk.open(path, flags === 'r+' ? constants.O_RDWR | noFollow : flags, mode),
};

/** Undefined on Windows, whatever the types say. */
const noFollow = (constants.O_NOFOLLOW as number | undefined) ?? 0;
