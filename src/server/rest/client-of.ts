/** Names the program for the list of sign-ins; control characters have no business there. */
export function clientOf(request: Request): { user_agent: string | null } {
  const agent = request.headers.get('user-agent')?.replace(/[^\x20-\x7e]/g, '?');
  return { user_agent: agent ? agent.slice(0, 300) : null };
}
