import { join } from 'node:path';
import type { ChildProgram } from './child-process';

/** The web and worker processes from their bundles in `dist`. */
export function productionPrograms(dist: string, environment: NodeJS.ProcessEnv): ChildProgram[] {
  return ['web', 'worker'].map((name) => ({
    name,
    command: process.execPath,
    arguments: ['--enable-source-maps', join(dist, `${name}.mjs`)],
    environment,
    workingDirectory: dist,
  }));
}
