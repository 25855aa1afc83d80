import type { TagCount, TagSearchInput } from '@/domain/policy-resolution';
import type { Scope } from '../../../auth/scope';
import { countTags } from '../../../repositories/workload-tags';

/** Tags of workloads within reach that contain the text, the most used ones first; at most twenty. */
export const searchTags = (scope: Scope<'workload:read'>, { q }: TagSearchInput): Promise<TagCount[]> =>
  countTags(scope.tenants, q);
