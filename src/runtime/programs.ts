import { join } from 'node:path';
import { EMBEDDED_ARGUMENT } from '@/server/lib/env';
import type { ChildProgram } from './child-process';
import type { ProgramOptions } from './supervisor';

/** The web and worker processes from their bundles in `dist`, and the demo when it is asked for. */
export function productionPrograms(dist: string, { environment, demo, embedded }: ProgramOptions): ChildProgram[] {
  return ['web', 'worker', ...(demo ? ['demo'] : [])].map((name) => ({
    name,
    command: process.execPath,
    arguments: ['--enable-source-maps', join(dist, `${name}.mjs`), ...(embedded ? [EMBEDDED_ARGUMENT] : [])],
    environment,
    workingDirectory: dist,
  }));
}
