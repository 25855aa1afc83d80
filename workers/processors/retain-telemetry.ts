import { retainTelemetry as retain } from '@/server/services/flows/retain-telemetry';
import type { JobProcessors } from '../job-processors';

/** `telemetry.retain` */
export const retainTelemetry: JobProcessors['telemetry.retain'] = async (_, { signal }) => {
  await retain(signal);
};
