import type { FilePosition } from './file-position';
import type { LogPositions } from './log-collector';

export const NO_POSITIONS: LogPositions = { kernel: null, file: null, access: null };

/** Whether a value read from the state file is a set of positions; a damaged file must not stop the agent. */
export function isLogPositions(value: unknown): value is LogPositions {
  if (!isRecord(value)) return false;
  // Earlier agents saved none of the access log.
  const { kernel, file, access = null } = value;
  const isKernel =
    kernel === null || (isRecord(kernel) && typeof kernel.kernel_boot_id === 'string' && isCount(kernel.sequence));
  return isKernel && isTailState(file) && isTailState(access);
}

function isTailState(value: unknown): boolean {
  return (
    value === null ||
    (isRecord(value) &&
      (value.current === null || isFilePosition(value.current)) &&
      Array.isArray(value.rotated) &&
      value.rotated.every(isFilePosition))
  );
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
