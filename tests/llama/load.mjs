// load.mjs CONTEXT map|read [silent]: what a program with llama.cpp inside does. Loads the model that GGUF names (not
// an argument, so that a mapping has to be found), on the CPU, with llama.cpp's own log on standard output unless
// silent; prints "ready" and holds it until standard input ends. Runs in the folder that install.sh filled; builds and downloads
// nothing. Exit status 77, with the reason as the last line, where the prebuilt addon cannot be loaded.
import {createRequire} from "node:module";
import {writeSync} from "node:fs";
import {pathToFileURL} from "node:url";

const [context, way, silent] = process.argv.slice(2);
const say = (line) => writeSync(1, line + "\n");

async function addon() {
    try {
        const found = createRequire(process.cwd() + "/").resolve("node-llama-cpp");
        const {getLlama, LlamaLogLevel} = await import(pathToFileURL(found));
        return await getLlama({
            gpu: false, build: "never", skipDownload: true, usePrebuiltBinaries: true, progressLogs: false,
            maxThreads: 1, logLevel: LlamaLogLevel.debug, logger: (level, message) => silent || say(message)
        });
    } catch (error) {
        say(String(error).split("\n")[0]);
        process.exit(77);
    }
}

const llama = await addon();
const model = await llama.loadModel({modelPath: process.env.GGUF, gpuLayers: 0, useMmap: way === "map"});
const held = await model.createContext({contextSize: Number(context), sequences: 1, threads: 1});
say("ready");
process.stdin.resume().on("end", () => process.exit(held.disposed ? 1 : 0));
