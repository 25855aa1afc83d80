// `npm start`: makes what is missing (packages, builds) and becomes the supervisor. Needs nothing but Node.
// This file keeps to syntax that an old Node can read, so that it can say it is too old.
const REQUIRED = [20, 12];
const version = process.versions.node.split('.').map(Number);
if (version[0] < REQUIRED[0] || (version[0] === REQUIRED[0] && version[1] < REQUIRED[1])) {
  process.stderr.write(
    `Fabric needs Node ${REQUIRED.join('.')} or later; this is Node ${process.versions.node}. See https://nodejs.org.\n`,
  );
  process.exit(1);
}
import('./run.mjs')
  .then((module) => module.run())
  .catch((error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exit(1);
  });
