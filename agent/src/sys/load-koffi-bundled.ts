import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import type { KoffiApi } from './load-koffi';

/**
 * Loads koffi.node, which lies beside the bundle. Its raw exports are all the agent needs, so koffi's own loader, which
 * looks through node_modules, is left out.
 * @throws when the file is missing or was built for another machine
 */
export function loadKoffi(): KoffiApi {
  const target: { exports: unknown } = { exports: {} };
  const file = join(dirname(process.argv[1] ?? ''), 'koffi.node');
  process.dlopen(target, file, constants.dlopen.RTLD_NOW);
  return target.exports as KoffiApi;
}
