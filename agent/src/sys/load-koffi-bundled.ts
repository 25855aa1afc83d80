import { constants } from 'node:os';
import { join } from 'node:path';
import { arch } from 'node:process';
import type { KoffiApi } from './load-koffi';

/**
 * Loads the native library from the bundle's directory. Its raw exports are all the agent needs, so koffi's own
 * loader, which looks through node_modules, is left out.
 * @throws when the file is missing or does not fit this machine
 */
export function loadKoffi(): KoffiApi {
  const target: { exports: unknown } = { exports: {} };
  process.dlopen(target, join(__dirname, `koffi-linux-${arch}.node`), constants.dlopen.RTLD_NOW);
  return target.exports as KoffiApi;
}
