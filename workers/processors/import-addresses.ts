import { runImport } from '@/server/services/ipam/imports/run-import';
import type { JobProcessors } from '../job-processors';

/** `ipam.import` */
export const importAddresses: JobProcessors['ipam.import'] = ({ import_id }, { signal }) =>
  runImport(import_id, { signal });
