import { closeSync, constants, openSync, readSync } from 'node:fs';
import { monotonicOffset } from '../sys/clock';
import { errnoCode } from '../sys/errno';

/** One record of /dev/kmsg. */
type KmsgRecord = {
  sequence: number;
  /** CLOCK_MONOTONIC milliseconds. */
  monotonic: number;
  message: string;
};

/**
 * Parses `<priority>,<sequence>,<microseconds>,<flags>;<message>`, dropping the continuation lines with device details.
 * @returns null when the text is something else
 */
function parseKmsgRecord(text: string): KmsgRecord | null {
  const semicolon = text.indexOf(';');
  if (semicolon < 0) return null;
  const [, sequence, microseconds] = text.slice(0, semicolon).split(',');
  if (sequence === undefined || microseconds === undefined) return null;
  const record = { sequence: Number(sequence), monotonic: Number(microseconds) / 1000 };
  if (!Number.isSafeInteger(record.sequence) || !Number.isFinite(record.monotonic)) return null;
  const end = text.indexOf('\n', semicolon);
  return { ...record, message: text.slice(semicolon + 1, end < 0 ? text.length : end) };
}

const DEVICE = '/dev/kmsg';
const RECORD_BYTES = 8192;
/** Records read in one go, so that a flood does not hold up everything else. */
const RECORDS_PER_READ = 20_000;

/** Place in the kernel's log. The number counts from boot. */
export type KernelLogPosition = { kernel_boot_id: string; sequence: number };

/**
 * Reads the kernel's log record by record. The kernel keeps only some hundred firewall lines, so this has to be read
 * every second, not once per heartbeat.
 */
export class KernelLog {
  /** Records that were overwritten before they could be read, since the start. */
  lost = 0;
  private readonly fd: number;
  private readonly buffer = Buffer.alloc(RECORD_BYTES);
  private sequence: number;
  private isContinuous: boolean;

  /**
   * @param position where the last run stopped, if that was since boot
   * @throws Error of the system (EPERM without CAP_SYSLOG)
   */
  constructor(
    position: KernelLogPosition | null,
    private readonly bootId: string,
    device = DEVICE,
  ) {
    this.fd = openSync(device, constants.O_RDONLY | constants.O_NONBLOCK);
    this.isContinuous = position?.kernel_boot_id === bootId;
    this.sequence = this.isContinuous && position ? position.sequence : -1;
  }

  get position(): KernelLogPosition {
    return { kernel_boot_id: this.bootId, sequence: this.sequence };
  }

  /** Hands over new messages that look like packets, with their wall time in milliseconds. @throws Error of the system */
  read(take: (message: string, time: number) => void): void {
    const offset = monotonicOffset();
    for (let i = 0; i < RECORDS_PER_READ; i += 1) {
      const text = this.next();
      if (text === null) return;
      const record = parseKmsgRecord(text);
      if (!record || record.sequence <= this.sequence) continue;
      if (this.isContinuous) this.lost += record.sequence - this.sequence - 1;
      this.isContinuous = true;
      this.sequence = record.sequence;
      if (record.message.includes('SRC=') && record.message.includes('IN=')) {
        take(record.message, record.monotonic + offset);
      }
    }
  }

  close(): void {
    closeSync(this.fd);
  }

  private next(): string | null {
    for (;;) {
      try {
        return this.buffer.toString('latin1', 0, readSync(this.fd, this.buffer));
      } catch (error) {
        const code = errnoCode(error);
        if (code === 'EAGAIN') return null;
        // Overwritten while reading: the next read continues at the oldest record that is left.
        if (code !== 'EPIPE') throw error;
      }
    }
  }
}
