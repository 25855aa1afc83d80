import type { SecurityGroupMember } from '@/domain/security-group';

/** How a workload became a member. */
export const SOURCE_WORDS: Record<SecurityGroupMember['source'], string> = { manual: 'Hand', tag: 'Tag' };
