import { join } from 'node:path';
import type { ChildProgram } from './child-process';

/** The web and worker processes from their bundles in `dist`, and the demo when it is asked for. */
export function productionPrograms(dist: string, environment: NodeJS.ProcessEnv, demo: boolean): ChildProgram[] {
  return ['web', 'worker', ...(demo ? ['demo'] : [])].map((name) => ({
    name,
    command: process.execPath,
    arguments: ['--enable-source-maps', join(dist, `${name}.mjs`)],
    environment,
    workingDirectory: dist,
  }));
}
