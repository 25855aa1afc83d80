import type { FilePosition } from './file-position';
import type { LogPositions } from './log-collector';

export const NO_POSITIONS: LogPositions = { kernel: null, file: null };

/** Whether a value read from the state file is a set of positions; a damaged file must not stop the agent. */
export function isLogPositions(value: unknown): value is LogPositions {
  if (!isRecord(value)) return false;
  const { kernel, file } = value;
  const isKernel =
    kernel === null || (isRecord(kernel) && typeof kernel.kernel_boot_id === 'string' && isCount(kernel.sequence));
  const isFile =
    file === null ||
    (isRecord(file) &&
      (file.current === null || isFilePosition(file.current)) &&
      Array.isArray(file.rotated) &&
      file.rotated.every(isFilePosition));
  return isKernel && isFile;
}

function isFilePosition(value: unknown): value is FilePosition {
  return (
    isRecord(value) &&
    isCount(value.inode) &&
    isCount(value.offset) &&
    isCount(value.fingerprint_bytes) &&
    (value.fingerprint_bytes as number) <= 64 &&
    typeof value.fingerprint === 'string'
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= -1;
}
