# Evaluates flake.nix without a network: packages and libraries are stand-ins that only have names.
# nix-instantiate --eval --strict --json packaging/nix/evaluate.nix
let
  flake = import ../../flake.nix;
  named = names: builtins.listToAttrs (map (name: { inherit name; value = name; }) names);
  packagesFor = system:
    named [ "meson" "ninja" "pkg-config" "python3" "jansson" "libevent" "ncurses" "zstd" "cmocka" "procps" "clang-tools" "nodejs" "shellcheck" "strace" "tmux" ]
    // {
      stdenv = {
        mkDerivation = arguments: arguments // { outPath = "/nix/store/${arguments.pname}-${arguments.version}"; };
        hostPlatform = { inherit system; };
      };
      mkShell = arguments: arguments;
      lib = {
        optional = condition: x: if condition then [ x ] else [ ];
        boolToString = b: if b then "true" else "false";
        licenses.mit = "MIT";
      };
    };
  nixpkgs = {
    lib.genAttrs = names: f: builtins.listToAttrs (map (name: { inherit name; value = f name; }) names);
    legacyPackages = { x86_64-linux = packagesFor "x86_64-linux"; aarch64-linux = packagesFor "aarch64-linux"; };
  };
  outputs = flake.outputs { self = outputs // { outPath = ../..; }; inherit nixpkgs; };
  facts = system: {
    inherit (outputs.packages.${system}.default) pname version buildInputs mesonFlags;
    program = outputs.apps.${system}.default.program;
    checked = outputs.checks.${system}.tests.doCheck;
    checkInputs = outputs.checks.${system}.tests.buildInputs;
    shell = outputs.devShells.${system}.default.packages;
  };
in { x86_64-linux = facts "x86_64-linux"; aarch64-linux = facts "aarch64-linux"; }
