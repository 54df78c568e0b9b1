/** Makes random numbers from 0 to below a limit. */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x9e3779b9 | 0;
    return (Math.imul(state ^ state >>> 12, 0x297a2d39) >>> 0) % limit;
  };
}
