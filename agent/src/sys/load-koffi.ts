import { createRequire } from 'node:module';
import type * as Koffi from 'koffi';

export type KoffiApi = Pick<typeof Koffi, 'load' | 'view' | 'address' | 'errno'>;

/**
 * Loads the foreign function interface from node_modules. The bundle swaps this file for load-koffi-bundled.ts.
 * @throws when the native library is missing or does not fit this machine
 */
export function loadKoffi(): KoffiApi {
  return createRequire(import.meta.url)('koffi') as KoffiApi;
}
