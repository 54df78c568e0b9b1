import { assertEquals } from "@std/assert";
import cli from "../cli/deno.json" with { type: "json" };
import core from "../deno.json" with { type: "json" };

/** One module in the output of `deno doc --json`. */
interface ModuleDoc {
  readonly module_doc?: unknown;
  readonly symbols: readonly {
    readonly name: string;
    readonly declarations: readonly {
      readonly declarationKind: string;
      readonly jsDoc?: unknown;
    }[];
  }[];
}

Deno.test("every entry point and every symbol that JSR counts is documented", async () => {
  const undocumented: string[] = [];
  for (const [folder, { exports }] of [["../", core], ["../cli/", cli]] as const) {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      // JSR reads the entry points in this order. A symbol that a later one exports again counts again.
      args: ["doc", "--json", ...Object.values(exports).sort()],
      cwd: new URL(folder, import.meta.url),
      env: { NO_COLOR: "1" },
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    const nodes: Record<string, ModuleDoc> = JSON.parse(new TextDecoder().decode(stdout)).nodes;
    for (const [entryPoint, { module_doc, symbols }] of Object.entries(nodes)) {
      if (!module_doc) undocumented.push(entryPoint);
      for (const { name, declarations } of symbols) {
        const isPublic = declarations.filter(({ declarationKind }) =>
          declarationKind !== "private"
        );
        if (!isPublic.every(({ jsDoc }) => jsDoc)) undocumented.push(`${entryPoint} ${name}`);
      }
    }
  }
  assertEquals(undocumented, []);
});
