import { totalmem } from 'node:os';

const MIB = 1024 * 1024;
const megabytes = (bytes: number) => `${Math.floor(bytes / MIB)}MB`;

/**
 * Settings of the private PostgreSQL, sized for a machine it shares with the rest of the program. Flows are written in
 * a steady stream, so checkpoints are rare and large.
 * @param memory bytes this machine (or container) has
 */
export function postgresSettings(memory: number): Record<string, string> {
  return {
    shared_buffers: megabytes(Math.min(Math.max(memory / 8, 64 * MIB), 4096 * MIB)),
    effective_cache_size: megabytes(Math.max(memory / 2, 128 * MIB)),
    work_mem: '8MB',
    maintenance_work_mem: megabytes(Math.min(Math.max(memory / 32, 32 * MIB), 256 * MIB)),
    max_connections: '200',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    wal_compression: 'pglz',
    random_page_cost: '1.1',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '',
    log_checkpoints: 'off',
    // Errors of statements reach the program that sent them and are logged there, with what they belong to.
    log_min_error_statement: 'panic',
    log_min_messages: 'warning',
  };
}

/** Memory in bytes that this process may count on: the container's limit, or the machine's. */
export function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}
