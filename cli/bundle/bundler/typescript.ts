/** The options that decide what a program does. The others are about types, or about where files are. */
export function tsconfigOf({
  jsx,
  jsxFactory,
  jsxFragmentFactory,
  jsxImportSource,
  experimentalDecorators,
  verbatimModuleSyntax,
}: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    compilerOptions: {
      jsx: jsx === "precompile" ? "react-jsx" : jsx, // "precompile" makes the same elements faster.
      jsxFactory,
      jsxFragmentFactory,
      jsxImportSource,
      experimentalDecorators,
      verbatimModuleSyntax,
    },
  });
}

/** Makes JavaScript with the types of decorated members, which esbuild does not know. */
export async function transpile(file: string, cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["transpile", "--quiet", "--source-map=inline", file],
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (success) return new TextDecoder().decode(stdout);
  const problem = new TextDecoder().decode(stderr).trim().replace(/^error: /, "");
  throw new Error(
    problem.includes("panicked") // Deno reads its own /proc, which the mount namespace of the bundler does not have.
      ? `Cannot add the types of decorators to ${
        JSON.stringify(file)
      }: Deno cannot do this in a mount namespace; ` +
        'remove "emitDecoratorMetadata" from deno.json'
      : problem,
  );
}
