# Installs the build tree into a fresh folder, moves that away from where it was installed, builds the consumer against it
# with CMake and, where pkg-config is at hand, with one plain line, and runs what came out.
# Reads BUILD, SOURCE (the project), WORK (scratch), CXX, LAUNCHER, GENERATOR.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
macro(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endmacro()
set(scene ${SOURCE}/scenes/cannonball21.json)

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/tree)
run(${WORK}/tree/bin/cairn --version)

# The consumer's sources alone, so that a header of ours can only come from the install tree.
file(COPY ${SOURCE}/tests/consumer/CMakeLists.txt ${SOURCE}/tests/consumer/main.cpp ${SOURCE}/tests/consumer/tour.cpp
     DESTINATION ${WORK}/consumer)
run(${CMAKE_COMMAND} -S ${WORK}/consumer -B ${WORK}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK}/tree
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
run(${WORK}/build/tour ${scene})

# The core alone.
run(${CMAKE_COMMAND} -S ${WORK}/consumer -B ${WORK}/core -G ${GENERATOR} -DCORE_ONLY=ON -DCMAKE_PREFIX_PATH=${WORK}/tree
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/core --target consumer)
run(${WORK}/core/consumer)

# For the processor at hand: layouts must not depend on how wide its vectors are.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE pc ${WORK}/tree/*/cairn.pc)
  get_filename_component(pc_dir ${pc} DIRECTORY)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_dir} ${PKG_CONFIG} --cflags --libs cairn
                  OUTPUT_VARIABLE cairn_flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(cairn_flags)
  separate_arguments(FLAGS)
  run(${CXX} -std=c++20 -march=native ${FLAGS} ${WORK}/consumer/main.cpp ${cairn_flags} -o ${WORK}/plain)
  run(${WORK}/plain)
else()
  message("no pkg-config here: the plain line was not tried")
endif()
