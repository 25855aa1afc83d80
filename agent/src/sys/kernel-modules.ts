import { readFileSync } from 'node:fs';

/**
 * Names of the loaded kernel modules; null when the kernel has no modules, where nothing can be loaded by asking.
 * Looking at rules of a kind whose module is not loaded would load it, and with it hooks on every packet.
 */
export function loadedModules(): ReadonlySet<string> | null {
  try {
    const lines = readFileSync('/proc/modules', 'latin1').split('\n');
    return new Set(lines.map((line) => line.slice(0, Math.max(0, line.indexOf(' ')))));
  } catch {
    return null;
  }
}
