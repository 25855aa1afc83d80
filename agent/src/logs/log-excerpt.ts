import { AGENT_LIMITS } from '@fabric/agent-contract/limits';

/**
 * The part of a log line that is kept as evidence. The hardware addresses go first: with them the limit would end before
 * the destination.
 */
export function logExcerpt(line: string): string {
  return line
    .replace(/ MAC=\S*/, '')
    .trim()
    .slice(0, AGENT_LIMITS.log_excerpt_characters);
}
