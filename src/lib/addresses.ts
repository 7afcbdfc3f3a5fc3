// Addresses of the internet protocol, and ranges of them.
import { BlockList, isIP } from 'node:net';

/** `10.1.2.3` for `::ffff:10.1.2.3`, as which a server that listens on both protocols sees it. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}

/** An address such as 127.0.0.1, or a range such as 10.0.0.0/8 or fd00::/8. */
export function isAddressRange(text: string): boolean {
  return partsOf(text) !== undefined;
}

/** Whether an address is one of these, or in one of these ranges. Texts that are neither are left out. */
export function createAddressCheck(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const parts = partsOf(range);
    if (parts) list.addSubnet(parts.address, parts.bits, parts.family);
  }
  return (given) => {
    const address = plainAddress(given);
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

interface Range {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

function partsOf(text: string): Range | undefined {
  const [, address = '', digits] = /^([\da-f.:]{2,45})(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return undefined;
  const bitsMax = version === 4 ? 32 : 128;
  const bits = digits === undefined ? bitsMax : Number(digits);
  return bits > bitsMax ? undefined : { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' };
}
