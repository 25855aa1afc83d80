/** Holds the newest lines up to a limit and counts the rest: a log flood must not cost more than a full log. */
export class LineBudget<T> {
  /** Lines pushed out since the last `take()`. */
  private dropped = 0;
  private lines: T[] = [];
  private next = 0;

  constructor(private readonly limit: number) {}

  push(line: T): void {
    if (this.lines.length < this.limit) {
      this.lines.push(line);
      return;
    }
    this.lines[this.next] = line;
    this.next = (this.next + 1) % this.limit;
    this.dropped += 1;
  }

  /** Hands over the kept lines, oldest first, and starts over. */
  take(): { lines: T[]; dropped: number } {
    const lines = [...this.lines.slice(this.next), ...this.lines.slice(0, this.next)];
    const { dropped } = this;
    this.lines = [];
    this.next = 0;
    this.dropped = 0;
    return { lines, dropped };
  }
}
