import type { SecurityGroupMember } from '@/domain/security-group';
import { msg } from '@/lib/i18n/translator';

/** How a workload became a member. */
export const SOURCE_WORDS: Record<SecurityGroupMember['source'], string> = { manual: msg('Hand'), tag: msg('Tag') };
